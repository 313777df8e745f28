/** The header field of a response that is a stored copy. */
export const copyMark = 'Tessera-Copy';
