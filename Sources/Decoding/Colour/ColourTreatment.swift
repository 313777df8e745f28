import CVips

/// What has to be done to an original's colours so that they become sRGB or grey.
enum ColourTreatment: Equatable {
    /// They are, or nothing is known of them.
    case none
    /// Apply the embedded profile.
    case profile(ICCProfile.Intent)
    /// Apply the embedded profile of a printer. The decoder would take its own profile instead.
    case inkProfile(ICCProfile.Intent)
    /// Apply what the file says by numbers.
    case description(ColourDescription)

    /// - Parameter describe: The description of the colours by numbers, for a file with or without a profile.
    init(_ header: Picture, profile: ICCProfile?, describe: (_ hasProfile: Bool) -> ColourDescription?) {
        // A profile for another kind of device was copied from another picture.
        let profile = profile.flatMap { $0.suits(header) ? $0 : nil }
        if let description = describe(profile != nil) {
            self = .description(description)
        } else if let profile, !profile.isStandardRGB, let intent = profile.intent {
            self = profile.space == .cmyk ? .inkProfile(intent) : .profile(intent)
        } else {
            self = .none
        }
    }
}

extension ColourTreatment {
    /// Whether it may fail because of an invalid profile.
    var isByProfile: Bool {
        switch self {
        case .profile, .inkProfile: true
        case .none, .description: false
        }
    }
}

extension ICCProfile {
    /// Whether it is for pictures with such bands.
    fileprivate func suits(_ picture: Picture) -> Bool {
        switch space {
        case .grey: [VIPS_INTERPRETATION_B_W, VIPS_INTERPRETATION_GREY16].contains(picture.space)
        case .rgb: [VIPS_INTERPRETATION_sRGB, VIPS_INTERPRETATION_RGB16].contains(picture.space)
        case .cmyk: picture.space == VIPS_INTERPRETATION_CMYK
        }
    }
}

extension ICCProfile.Intent {
    var inLibrary: VipsIntent {
        switch self {
        case .relative: VIPS_INTENT_RELATIVE
        case .perceptual: VIPS_INTENT_PERCEPTUAL
        case .saturation: VIPS_INTENT_SATURATION
        }
    }
}
