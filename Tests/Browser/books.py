"""What the page has written down of pictures that it showed."""

# The ids of pictures of which more than the preview is kept.
KEPT = """(async () => {
    const database = await new Promise((resolve) => {
        const opening = indexedDB.open('tessera', 1);
        opening.onsuccess = () => resolve(opening.result);
    });
    const keys = await new Promise((resolve) => {
        const reading = database.transaction('books').objectStore('books').getAllKeys();
        reading.onsuccess = () => resolve(reading.result);
    });
    database.close();
    return new Set(keys.filter((key) => !key.endsWith('/preview')).map((key) => key.split('/')[0]));
})()"""
