import Images

extension InspectedOriginal {
    /// What to try if the original cannot be decoded as it is; nil if nothing can be repaired.
    ///
    /// - Parameter endsEarly: Whether the decoder looked for more after the end of the file.
    func repair(endsEarly: Bool) -> Repair? {
        switch kind {
        case .jpeg:
            endsEarly && (!isProgressive || JPEGScans.areComplete(in: reader)) ? .endOfJPEG : nil
        case .png: Repair(ofPNG: reader)
        default: nil
        }
    }
}
