/// Tells when memory is refused. A decoder that is refused memory may carry on and draw a blank picture without a word.
///
/// Linking this into an executable replaces the allocation functions of its whole process, shared libraries included
/// (https://sourceware.org/glibc/manual/latest/html_node/Replacing-malloc.html), by ones that call glibc's own and look
/// at the result. Under the address, memory and thread sanitizers, which replace them too, it does nothing.
#ifndef CMEMORYWATCH_H
#define CMEMORYWATCH_H

#include <stddef.h>

/// Calls `refused` whenever an allocation of `bytes` (more than 0) fails, on the thread that asked, before that thread
/// learns of it. `bytes` is `SIZE_MAX` where a product exceeds it. What `refused` itself allocates is not reported. It
/// must not wait for locks that an allocating thread may hold, nor unwind. NULL ends the watch.
void cmemorywatch_start(void (*refused)(size_t bytes));

#endif
