/// The metadata of an image, from reading its file. Unknown values are nil, never guessed.
public struct ImageMetadata: Hashable, Sendable {
    /// In pixels, after the EXIF orientation is applied.
    public var width: Int?
    public var height: Int?
    /// The media type ("image/jpeg"), determined from the bytes alone.
    public var mediaType: String?
    /// The original's size in bytes.
    public var byteCount: Int64?
    /// The number of frames or pages of the original.
    public var frames: Int?
    /// A ThumbHash (https://evanw.github.io/thumbhash/), at most 25 bytes.
    public var placeholder: [UInt8]?
    /// When the picture was taken, in the format of RFC 3339, with a fraction of a second if there is one. With the time
    /// zone that the camera wrote; taken as UTC without one. An incomplete date is cut short: "2018-01" or "1956".
    public var takenAt: String?
    /// The camera and the exposure.
    public var camera: Camera?
    /// Where the picture was taken.
    public var place: Place?
    /// The EXIF orientation tag, 1 to 8.
    public var orientation: Int?
    /// Whether the file ends before its image does; nil if unknown.
    public var isIncomplete: Bool?
    /// Whether the file was read and cannot be displayed; nil if unknown.
    public var isBroken: Bool?
    /// A rating in stars by a person, 1 to 5, or -1 for a rejected image (Metadata Working Group, "Guidelines for
    /// handling image metadata", 2.0, 5.5); nil if it is not rated.
    public var rating: Int?
    /// A title given by a person; at most ``maximumTitle`` bytes.
    public var title: String?
    /// What a person wrote about the picture; at most ``maximumDescription`` bytes.
    public var description: String?
    /// At most ``maximumKeywords`` keywords without duplicates, each of at most ``maximumKeyword`` bytes.
    public var keywords: [String] = []
    /// The names of the location where the picture was taken.
    public var placeNames: PlaceNames?
    /// A digest of the file from which the metadata was read; nil if the file has not been read.
    public var digest: ContentDigest?
    /// The indexing version with which the file was read (``currentReader``); nil if it has not been read.
    public var readerVersion: Int?
    /// The sidecars that were read with the file; nil if it is not known whether there are any.
    public var sidecars: SidecarVersion?

    /// The indexing version of this program. Raised when more is read from files than before, so that every file is
    /// indexed again.
    public static let currentReader = 5
    /// The valid range of ``width`` and ``height``.
    public static let sides = 1...10_000_000
    /// The valid range of ``frames``.
    public static let frameCounts = 1...10_000_000
    /// The valid range of a camera's ``Camera/sensitivity``.
    public static let sensitivities = 0...Int(UInt32.max)
    /// In bytes.
    public static let maximumTitle = 1_024
    /// In bytes.
    public static let maximumDescription = 2_048
    public static let maximumKeywords = 64
    /// In bytes.
    public static let maximumKeyword = 128
    /// The maximum length of each of the ``placeNames``, in bytes.
    public static let maximumPlaceName = 256

    public init() {}

    /// The camera and the exposure, as the camera wrote them.
    public struct Camera: Hashable, Sendable {
        public var make: String?
        public var model: String?
        public var lens: String?
        /// In seconds.
        public var exposureTime: Double?
        /// The f-number.
        public var aperture: Double?
        /// ISO speed.
        public var sensitivity: Int?
        /// In millimetres.
        public var focalLength: Double?

        public init() {}
    }

    /// Where the picture was taken.
    public struct Place: Hashable, Sendable {
        /// In degrees, positive north of the equator.
        public var latitude: Double
        /// In degrees, positive east of Greenwich.
        public var longitude: Double
        /// In metres above sea level.
        public var altitude: Double?

        public init(latitude: Double, longitude: Double, altitude: Double? = nil) {
            self.latitude = latitude
            self.longitude = longitude
            self.altitude = altitude
        }

        /// Nil for 0° N, 0° E: receivers without a position write it, and it lies in the open sea.
        public var unlessUnset: Place? { latitude == 0 && longitude == 0 ? nil : self }

        /// Whether latitude and longitude are in their valid ranges.
        public var isOnEarth: Bool { abs(latitude) <= 90 && abs(longitude) <= 180 }
    }

    /// The location where the picture was taken, in words.
    public struct PlaceNames: Hashable, Sendable {
        /// A part of the city, or a place with a name of its own.
        public var location: String?
        public var city: String?
        /// The state or province.
        public var state: String?
        public var country: String?

        public init() {}
    }
}
