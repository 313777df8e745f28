/// The message digests and signatures of OpenSSL's libcrypto, which libcurl and libpq link too.
#ifndef CCRYPTO_H
#define CCRYPTO_H

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#endif
