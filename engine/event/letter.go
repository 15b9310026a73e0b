package event

import "strconv"

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// Letter returns a client's name on the stage: A to Z, then its number.
func (a Actor) Letter() string {
	if a >= 1 && int(a) <= len(letters) {
		return letters[a-1 : a]
	}
	return strconv.Itoa(int(a))
}
