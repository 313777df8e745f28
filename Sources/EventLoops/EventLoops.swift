// The room's first file; its code lands here.
