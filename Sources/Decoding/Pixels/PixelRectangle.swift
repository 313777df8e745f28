/// A rectangle of pixels, counted from the left and the top.
struct PixelRectangle: Equatable {
    var left: Int
    var top: Int
    var width: Int
    var height: Int

    /// Nil if nothing is within both.
    func intersection(width otherWidth: Int, height otherHeight: Int) -> PixelRectangle? {
        let (left, top) = (max(0, left), max(0, top))
        let (right, bottom) = (min(self.left + width, otherWidth), min(self.top + height, otherHeight))
        guard left < right, top < bottom else { return nil }
        return PixelRectangle(left: left, top: top, width: right - left, height: bottom - top)
    }
}
