/// libidn2: internationalized host names.
#ifndef CIDN_H
#define CIDN_H

#include <idn2.h>

#endif
