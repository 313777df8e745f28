/// The message digests of OpenSSL's libcrypto, which libcurl and libpq link too.
#ifndef CCRYPTO_H
#define CCRYPTO_H

#include <openssl/evp.h>

#endif
