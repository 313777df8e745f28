/// An image's id as clients see it: an ``ImageID`` encrypted with a secret of the installation. An ``ImageID`` can be
/// computed by anyone who knows a folder's name and a path in it, or guesses them; this one cannot.
public struct PublicImageID: OpaqueIdentifier {
    public let rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}
