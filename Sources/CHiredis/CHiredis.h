/// The asynchronous client of Redis.
#ifndef CHIREDIS_H
#define CHIREDIS_H

// Its read.h stands in a folder of the same name, and includes nothing that is not beside it.
#include <hiredis/hiredis.h>
#include <hiredis/async.h>

#endif
