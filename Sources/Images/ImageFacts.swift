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
    }
}
