"""What the page has stored about the pictures it displayed."""

# The ids of pictures of which more than the preview is stored.
KEPT = """(async () => {
    const database = await new Promise((resolve) => {
        const opening = indexedDB.open('tessera', 2);
        opening.onsuccess = () => resolve(opening.result);
    });
    const keys = await new Promise((resolve) => {
        const reading = database.transaction('renditions').objectStore('renditions').getAllKeys();
        reading.onsuccess = () => resolve(reading.result);
    });
    database.close();
    return new Set(keys.filter((key) => !key.endsWith('/preview')).map((key) => key.split('/')[0]));
})()"""

# More than the preview is stored of each picture on screen.
SEEN_IS_KEPT = "async () => { const kept = await " + KEPT + """;
    const seen = [...document.querySelectorAll('.slot[data-index]')].filter((slot) => {
        const { top, bottom } = slot.getBoundingClientRect();
        return bottom > 60 && top < innerHeight;
    });
    return seen.length > 0 && seen.every((slot) => kept.has(slot.querySelector('a').hash.replace('#image=', '')));
}"""
# And of each in the rows below it that have slots.
ALL_IS_KEPT = SEEN_IS_KEPT.replace("top < innerHeight", "top < Infinity")
