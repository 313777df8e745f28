/** The name of the database that keeps renditions. */
export const databaseName = 'tessera';
