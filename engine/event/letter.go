package event

import "strconv"

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// Letter is what a client is called on the stage and beside it: A to Z, then its number.
func (a Actor) Letter() string {
	if a >= 1 && int(a) <= len(letters) {
		return letters[a-1 : a]
	}
	return strconv.Itoa(int(a))
}
