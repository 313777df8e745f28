"""What moves on screen, frame by frame."""

# Where every slot on screen is, by the name of its picture, in every frame; and whether one that was shown began anew.
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
            if (isOnScreen && oldValue === 'shown' && target.dataset.phase !== 'shown') window.lost.push(target.ariaLabel);
        }
    }).observe(document, { subtree: true, attributeFilter: ['data-phase'], attributeOldValue: true });
}"""


def watched(front):
    front.page.evaluate(WATCH)
    return front


def motions(front) -> list[list[list[float]]]:
    """From each frame to the next, how far each picture that is in both has moved; what has just happened is in a frame
    that is still to come."""
    frames = front.page.evaluate("""async () => {
        for (let frame = 0; frame < 4; frame += 1) await new Promise(requestAnimationFrame);
        return window.frames_;
    }""")
    return [[[after[each][0] - before[each][0], after[each][1] - before[each][1]] for each in before.keys() & after.keys()]
            for before, after in zip(frames, frames[1:])]


def until_moved(front, way: float):
    """The pictures have moved down by so many pixels, all in all: what a wheel does is seen some frames after it."""
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
    """Of the pictures on screen in the last frame."""
    return front.page.evaluate("() => Object.keys(window.frames_.at(-1)).sort()")
