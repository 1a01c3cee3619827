package theme

// Box is a rectangle of the screen in cells, its frame included.
type Box struct{ X, Y, W, H int }

// Empty says that nothing can be drawn in the box.
func (b Box) Empty() bool { return b.W <= 0 || b.H <= 0 }

// Inner is the box without its frame of one cell.
func (b Box) Inner(framed bool) Box {
	if !framed {
		return b
	}
	return Box{b.X + 1, b.Y + 1, max(0, b.W-2), max(0, b.H-2)}
}

// Holds says whether a cell lies in the box.
func (b Box) Holds(x, y int) bool {
	return x >= b.X && x < b.X+b.W && y >= b.Y && y < b.Y+b.H
}
