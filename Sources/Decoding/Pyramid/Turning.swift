import Renditions

/// Maps an image that is cut as stored to its upright orientation, tile by tile (the orientations of EXIF 2.32, 4.6.4).
struct Turning: Equatable {
    /// 1 to 8.
    let orientation: Int

    /// Whether rows become columns.
    var isAcross: Bool { orientation >= 5 }
    /// Whether columns are counted from the other end.
    var isFromRight: Bool { [2, 3, 6, 7].contains(orientation) }
    /// Whether rows are counted from the other end.
    var isFromBottom: Bool { [3, 4, 7, 8].contains(orientation) }

    /// The layout of the upright image's pyramid.
    func layout(storedWidth width: Int, height: Int) -> PyramidLayout {
        PyramidLayout(
            width: isAcross ? height : width, height: isAcross ? width : height, isCutFromRight: isFromRight,
            isCutFromBottom: isFromBottom)
    }

    /// The number in the index of the tile that is stored at this column and row of a level.
    func tile(column: Int, row: Int, of level: PyramidLayout.Level) -> Int {
        let (across, down) = isAcross ? (row, column) : (column, row)
        let left = isFromRight ? level.columns - 1 - across : across
        let top = isFromBottom ? level.rows - 1 - down : down
        return level.firstTile + top * level.columns + left
    }
}
