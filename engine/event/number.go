package event

// numberDigits is how many digits a sequential create puts at the end of a name.
const numberDigits = 10

// Number is the sequence number at the end of a znode's path, or -1 if it ends in none. It goes by the
// name alone, because a name is all that an observer sees.
func Number(path string) int64 {
	if len(path) < numberDigits {
		return -1
	}
	var n int64
	for i := len(path) - numberDigits; i < len(path); i++ {
		d := path[i] - '0'
		if d > 9 {
			return -1
		}
		n = n*10 + int64(d)
	}
	return n
}
