/** The field of an answer that is a copy, kept for when no server answers. */
export const copyMark = 'Tessera-Copy';
