import Glibc

/// Evan Wallace's ThumbHash (https://evanw.github.io/thumbhash/): the colours, aspect ratio and rough content of an
/// image in at most 25 bytes, which a browser can draw at once. It is a discrete cosine transform of brightness (L),
/// two colour differences (P, Q) and alpha (A), with the few lowest frequencies stored in four bits each.
struct ThumbHash {
    let bytes: [UInt8]

    /// - Parameter pixels: At most 100 pixels per side; the cost grows with the area.
    init(_ pixels: Pixels) {
        let (width, height) = (pixels.width, pixels.height)
        let planes = Planes(pixels)
        let hasAlpha = planes.hasAlpha
        // With alpha, there is less room for brightness.
        let limit = Double(hasAlpha ? 5 : 7)
        let longest = Double(max(width, height))
        let across = max(1, Int((limit * Double(width) / longest).rounded()))
        let down = max(1, Int((limit * Double(height) / longest).rounded()))
        let isLandscape = width > height

        let brightness = Channel(planes.l, width, height, max(3, across), max(3, down))
        let warmth = Channel(planes.p, width, height, 3, 3)
        let tint = Channel(planes.q, width, height, 3, 3)

        var header = Self.quantised(brightness.constant, 63)
        header |= Self.quantised(0.5 + 0.5 * warmth.constant, 63) << 6
        header |= Self.quantised(0.5 + 0.5 * tint.constant, 63) << 12
        header |= Self.quantised(brightness.scale, 31) << 18
        header |= (hasAlpha ? 1 : 0) << 23
        var shape = UInt32(isLandscape ? down : across)
        shape |= Self.quantised(warmth.scale, 63) << 3
        shape |= Self.quantised(tint.scale, 63) << 9
        shape |= (isLandscape ? 1 : 0) << 15

        var bytes = [header, header >> 8, header >> 16, shape, shape >> 8].map { UInt8(truncatingIfNeeded: $0) }
        var frequencies = brightness.frequencies + warmth.frequencies + tint.frequencies
        if hasAlpha {
            let alpha = Channel(planes.a, width, height, 5, 5)
            bytes.append(UInt8(Self.quantised(alpha.constant, 15) | Self.quantised(alpha.scale, 15) << 4))
            frequencies += alpha.frequencies
        }
        for start in stride(from: 0, to: frequencies.count, by: 2) {
            let low = Self.quantised(frequencies[start], 15)
            let high = start + 1 < frequencies.count ? Self.quantised(frequencies[start + 1], 15) : 0
            bytes.append(UInt8(low | high << 4))
        }
        self.bytes = bytes
    }

    private static func quantised(_ value: Double, _ steps: Double) -> UInt32 {
        UInt32(min(max((value * steps).rounded(), 0), steps))
    }

    /// The four planes of an image, composed over its own average colour, so that transparent areas add no detail.
    private struct Planes {
        var l: [Double]
        var p: [Double]
        var q: [Double]
        var a: [Double]
        let hasAlpha: Bool

        init(_ pixels: Pixels) {
            let count = pixels.width * pixels.height
            let channels = pixels.channels
            var average = (red: 0.0, green: 0.0, blue: 0.0, alpha: 0.0)
            let bytes = pixels.bytes
            func alpha(_ index: Int) -> Double { channels == 4 ? Double(bytes[index * 4 + 3]) / 255 : 1 }
            for index in 0..<count {
                let opacity = alpha(index)
                average.red += opacity / 255 * Double(bytes[index * channels])
                average.green += opacity / 255 * Double(bytes[index * channels + 1])
                average.blue += opacity / 255 * Double(bytes[index * channels + 2])
                average.alpha += opacity
            }
            if average.alpha > 0 {
                average.red /= average.alpha
                average.green /= average.alpha
                average.blue /= average.alpha
            }
            hasAlpha = average.alpha < Double(count)
            l = Array(repeating: 0, count: count)
            (p, q, a) = (l, l, l)
            for index in 0..<count {
                let opacity = alpha(index)
                let red = average.red * (1 - opacity) + opacity / 255 * Double(bytes[index * channels])
                let green = average.green * (1 - opacity) + opacity / 255 * Double(bytes[index * channels + 1])
                let blue = average.blue * (1 - opacity) + opacity / 255 * Double(bytes[index * channels + 2])
                l[index] = (red + green + blue) / 3
                p[index] = (red + green) / 2 - blue
                q[index] = red - green
                a[index] = opacity
            }
        }
    }

    /// The cosine transform of one plane.
    private struct Channel {
        /// The plane's average.
        var constant = 0.0
        /// The other coefficients, row by row within a triangle, scaled to the range from 0 to 1 around 0.5.
        var frequencies: [Double] = []
        /// The largest absolute value of the coefficients before scaling.
        var scale = 0.0

        init(_ plane: [Double], _ width: Int, _ height: Int, _ across: Int, _ down: Int) {
            for row in 0..<down {
                let vertical = (0..<height).map { cos(Double.pi / Double(height) * Double(row) * (Double($0) + 0.5)) }
                var column = 0
                while column * down < across * (down - row) {
                    let horizontal = (0..<width).map {
                        cos(Double.pi / Double(width) * Double(column) * (Double($0) + 0.5))
                    }
                    var sum = 0.0
                    for y in 0..<height {
                        var line = 0.0
                        for x in 0..<width { line += plane[y * width + x] * horizontal[x] }
                        sum += line * vertical[y]
                    }
                    let value = sum / Double(width * height)
                    if row == 0, column == 0 {
                        constant = value
                    } else {
                        frequencies.append(value)
                        scale = max(scale, abs(value))
                    }
                    column += 1
                }
            }
            if scale > 0 { frequencies = frequencies.map { 0.5 + 0.5 / scale * $0 } }
        }
    }
}
