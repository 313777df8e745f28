/// libcurl, with its variadic calls wrapped one type at a time: Swift imports no variadic function.
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>

// The type checks of curl's macros come with each wrapper's signature.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

/// The string is copied by curl.
static inline CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

/// The list is borrowed until the handle is gone.
static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

typedef size_t (*ccurl_data_function)(char *bytes, size_t size, size_t count, void *context);

/// For `CURLOPT_WRITEFUNCTION` and `CURLOPT_HEADERFUNCTION`.
static inline CURLcode ccurl_set_data_function(CURL *easy, CURLoption option, ccurl_data_function value) {
    return curl_easy_setopt(easy, option, value);
}

typedef curl_socket_t (*ccurl_open_socket_function)(
    void *context, curlsocktype purpose, struct curl_sockaddr *address);

static inline CURLcode ccurl_set_open_socket_function(CURL *easy, ccurl_open_socket_function value) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}

typedef int (*ccurl_close_socket_function)(void *context, curl_socket_t socket);

static inline CURLcode ccurl_set_close_socket_function(CURL *easy, ccurl_close_socket_function value) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, value);
}

static inline CURLcode ccurl_get_long(CURL *easy, CURLINFO information, long *value) {
    return curl_easy_getinfo(easy, information, value);
}

static inline CURLcode ccurl_get_pointer(CURL *easy, CURLINFO information, void **value) {
    return curl_easy_getinfo(easy, information, value);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode ccurl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
    return curl_multi_setopt(multi, option, value);
}

typedef int (*ccurl_socket_function)(
    CURL *easy, curl_socket_t socket, int interest, void *context, void *socket_context);

static inline CURLMcode ccurl_multi_set_socket_function(CURLM *multi, ccurl_socket_function value) {
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, value);
}

/// `CURL_SOCKET_TIMEOUT`, a cast that Swift does not import.
static const curl_socket_t ccurl_socket_timeout = CURL_SOCKET_TIMEOUT;
/// `CURL_SOCKET_BAD`, the same.
static const curl_socket_t ccurl_socket_bad = CURL_SOCKET_BAD;

typedef int (*ccurl_timer_function)(CURLM *multi, long milliseconds, void *context);

static inline CURLMcode ccurl_multi_set_timer_function(CURLM *multi, ccurl_timer_function value) {
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, value);
}

#endif
