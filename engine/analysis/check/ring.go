package check

// recent is how many of the latest a ring keeps.
const recent = 1 << 11

// ring keeps the latest of many, each by its number. A short run takes little of it.
type ring[T any] struct{ list []T }

// at returns the slot of number n.
func (r *ring[T]) at(n int) *T {
	i := n % recent
	for len(r.list) <= i {
		var none T
		r.list = append(r.list, none)
	}
	return &r.list[i]
}
