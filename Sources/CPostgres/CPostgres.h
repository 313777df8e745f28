/// libpq: all that is called of it are plain functions.
#ifndef CPOSTGRES_H
#define CPOSTGRES_H

#include <libpq-fe.h>

#endif
