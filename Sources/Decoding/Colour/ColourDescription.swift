/// What the code values of an image mean, as far as a file says so by numbers instead of a profile.
struct ColourDescription: Hashable, Sendable {
    var primaries = ColourPrimaries.bt709
    var transfer = TransferFunction.sRGB
    /// Whether black and white are 16 and 235 of 255, and the decoder has not expanded them.
    var isLimitedRange = false
    /// The brightest light in a picture for bright displays, in cd/m².
    var peakLuminance = ToneMapping.usualPeak

    /// What is assumed of a file that says nothing.
    static let sRGB = ColourDescription()

    init() {}

    /// The numbers of ITU-T H.273. What they leave open is that of sRGB.
    init(primaries: Int, transfer: Int) {
        self.primaries = ColourPrimaries(number: primaries) ?? .bt709
        self.transfer = TransferFunction(number: transfer) ?? .sRGB
    }

    /// Whether code values mean what they mean in sRGB.
    var isStandard: Bool { primaries == .bt709 && transfer == .sRGB && !isLimitedRange }
}
