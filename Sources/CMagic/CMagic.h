#ifndef CMAGIC_H
#define CMAGIC_H

#include <magic.h>

#endif
