/// The stable identifier of one image of the gallery. It survives restarts and changes of order, and reveals nothing
/// about where the image is stored. Clients refer to images only by their ids.
public struct ImageID: OpaqueIdentifier {
    public let rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}
