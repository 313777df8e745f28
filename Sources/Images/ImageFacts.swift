/// What is learnt of an image by looking into it. Everything that is not known is nil, never guessed.
public struct ImageFacts: Hashable, Sendable, Codable {
    /// Pixels, after the EXIF orientation is applied.
    public var width: Int?
    public var height: Int?
    /// What the bytes are, as a media type ("image/jpeg"); from the bytes alone.
    public var mediaType: String?
    /// The original's size in bytes.
    public var byteCount: Int64?
    /// How many frames or pages the original has.
    public var frames: Int?
    /// A ThumbHash (https://evanw.github.io/thumbhash/), at most 25 bytes.
    public var placeholder: [UInt8]?
    /// When the picture was taken, RFC 3339. With the zone the camera wrote; without one it is taken as UTC.
    public var takenAt: String?
    public var camera: Camera?
    public var place: Place?
    /// The EXIF orientation tag, 1 to 8.
    public var orientation: Int?
    /// Whether the file ends before its picture does; nil: not known.
    public var isIncomplete: Bool?
    /// Whether the file was looked into and is nothing that can be shown; nil: not known.
    public var isBroken: Bool?
    /// Stars that a person gave, 1 to 5, or -1 for a picture that was rejected (Metadata Working Group, "Guidelines for
    /// handling image metadata", 2.0, 5.5); nil for one that was not rated.
    public var rating: Int?
    /// What a person called it; at most ``maximumTitle`` bytes.
    public var title: String?
    /// At most ``maximumKeywords`` words, of at most ``maximumKeyword`` bytes each, none of them twice.
    public var keywords: [String] = []
    /// What the place is called where the picture was taken.
    public var placeNames: PlaceNames?
    /// Of the file that was looked into; nil where nobody has.
    public var digest: ContentDigest?
    /// Which form of examination these are of (``presentExamination``); nil where nobody has looked into the file.
    public var examination: Int?

    /// Raised when more is read of a file than before, so that every file is looked into once more.
    public static let presentExamination = 2
    /// What a picture's ``width`` and ``height`` can be.
    public static let sides = 1...10_000_000
    /// What ``frames`` can be.
    public static let frameCounts = 1...10_000_000
    /// What a camera's ``Camera/sensitivity`` can be.
    public static let sensitivities = 0...Int(UInt32.max)
    /// Bytes.
    public static let maximumTitle = 1_024
    public static let maximumKeywords = 64
    /// Bytes.
    public static let maximumKeyword = 128
    /// Bytes of one of the ``placeNames``.
    public static let maximumPlaceName = 256

    public init() {}

    /// What the camera wrote of itself and of the exposure.
    public struct Camera: Hashable, Sendable, Codable {
        public var make: String?
        public var model: String?
        public var lens: String?
        /// Seconds.
        public var exposureTime: Double?
        /// The f-number.
        public var aperture: Double?
        /// ISO speed.
        public var sensitivity: Int?
        /// Millimetres.
        public var focalLength: Double?

        public init() {}
    }

    /// Where the picture was taken.
    public struct Place: Hashable, Sendable, Codable {
        /// Degrees, north positive.
        public var latitude: Double
        /// Degrees, east positive.
        public var longitude: Double
        /// Metres above the sea.
        public var altitude: Double?

        public init(latitude: Double, longitude: Double, altitude: Double? = nil) {
            self.latitude = latitude
            self.longitude = longitude
            self.altitude = altitude
        }

        /// Whether there is such a place.
        public var isOnEarth: Bool { abs(latitude) <= 90 && abs(longitude) <= 180 }
    }

    /// Where the picture was taken, in words.
    public struct PlaceNames: Hashable, Sendable, Codable {
        /// A part of the city, or what is known by a name of its own.
        public var location: String?
        public var city: String?
        /// The state or province.
        public var state: String?
        public var country: String?

        public init() {}
    }
}
