/// The reference implementation of Argon2 (RFC 9106), for hashes of passwords.
#ifndef CARGON2_H
#define CARGON2_H

#include <argon2.h>

#endif
