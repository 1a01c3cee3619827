package jsonrepair

// Split takes the arguments of several calls apart that were glued into one: {…}{…}. It
// returns the objects as they stand there, not repaired, and nil where raw is anything but two objects
// or more, one behind the other. Linear in the length of raw.
func Split(raw string) []string {
	var objects []string
	plain := false
	for rest := trimFiller(raw); rest != ""; {
		if rest[0] != '{' {
			return nil
		}
		p, ok := parse(rest, plain)
		if !ok {
			return nil
		}
		// One string that ran to the end makes every later object suspect; reading each of them
		// to the end of the text would cost the square of its length.
		plain = plain || p.plain
		objects = append(objects, rest[:p.pos])
		rest = trimGlue(rest[p.pos:])
	}
	if len(objects) < 2 {
		return nil
	}
	return objects
}

func trimGlue(s string) string {
	for s != "" && (isSpace(rune(s[0])) || s[0] == ',' || s[0] == ';') {
		s = s[1:]
	}
	return s
}
