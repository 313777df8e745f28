/// OpenSSL's libssl, which libcurl and libpq also link, with functions for its macros, which Swift cannot import.
#ifndef COPENSSL_H
#define COPENSSL_H

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

static const uint64_t openssl_no_renegotiation = SSL_OP_NO_RENEGOTIATION;

static inline int openssl_context_set_minimum_version(SSL_CTX *context, int version) {
    return SSL_CTX_set_min_proto_version(context, version);
}

static inline int openssl_set_server_name(SSL *session, const char *name) {
    return SSL_set_tlsext_host_name(session, name);
}

/// The `errno` of a system error in OpenSSL's error queue; 0 for all other errors.
static inline int openssl_system_error(unsigned long error) {
    return ERR_SYSTEM_ERROR(error) ? ERR_GET_REASON(error) : 0;
}

#endif
