"""Records what moves on screen, frame by frame."""

# For every frame, the position of each slot on screen by its picture's name; and whether a displayed one was reset.
WATCH = """() => {
    window.frames_ = [];
    window.lost = [];
    const note = () => {
        const seen = {};
        for (const slot of document.querySelectorAll('.slot[data-index]')) {
            const box = slot.getBoundingClientRect();
            if (box.width === 0 || box.bottom < 60 || box.top > innerHeight) continue;
            seen[slot.ariaLabel.split(', picture ')[0]] = [box.left, box.top];
        }
        window.frames_.push(seen);
        requestAnimationFrame(note);
    };
    note();
    new MutationObserver((changes) => {
        for (const { target, oldValue } of changes) {
            const { top, bottom } = target.getBoundingClientRect();
            const isOnScreen = bottom > 60 && top < innerHeight;
            if (isOnScreen && oldValue === 'displayed' && target.dataset.phase !== 'displayed') window.lost.push(target.ariaLabel);
        }
    }).observe(document, { subtree: true, attributeFilter: ['data-phase'], attributeOldValue: true });
}"""


def watched(front):
    front.page.evaluate(WATCH)
    return front


def motions(front) -> list[list[list[float]]]:
    """How far each picture has moved from each frame to the next, if it is in both, up to the latest changes."""
    frames = front.page.evaluate("""async () => {
        for (let frame = 0; frame < 4; frame += 1) await new Promise(requestAnimationFrame);
        return window.frames_;
    }""")
    return [[[after[each][0] - before[each][0], after[each][1] - before[each][1]] for each in before.keys() & after.keys()]
            for before, after in zip(frames, frames[1:])]


def until_moved(front, way: float):
    """Waits until the pictures have moved down by this many pixels: wheel events take effect some frames later."""
    front.until("""(way) => {
        let moved = 0;
        for (let at = 1; at < window.frames_.length; at += 1) {
            const [before, after] = [window.frames_[at - 1], window.frames_[at]];
            const kept = Object.keys(before).find((each) => each in after);
            if (kept) moved += after[kept][1] - before[kept][1];
        }
        return moved === way;
    }""", way)


def names(front) -> list[str]:
    """The names of the pictures on screen in the last frame."""
    return front.page.evaluate("() => Object.keys(window.frames_.at(-1)).sort()")
