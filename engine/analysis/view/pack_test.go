package view

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// TestPackedState checks that packing loses no field of a State's long lists, whatever its value, and that nothing
// of the State unpacked into shows through.
func TestPackedState(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	var p packer
	into := &State{}
	for n := range 200 {
		s := &State{}
		for range rnd.IntN(4) {
			s.Clients = append(s.Clients, filled[Client](rnd))
			s.Watches.List = append(s.Watches.List, filled[Watch](rnd))
		}
		for range rnd.IntN(4) {
			s.Tree.Nodes = append(s.Tree.Nodes, filled[Node](rnd))
			s.Flights.List = append(s.Flights.List, filled[Flight](rnd))
		}
		p.unpack(p.pack(s), into)
		same := func(a, b Client) bool { return reflect.DeepEqual(a, b) }
		if !slices.EqualFunc(s.Clients, into.Clients, same) || !slices.Equal(s.Tree.Nodes, into.Tree.Nodes) ||
			!slices.Equal(s.Watches.List, into.Watches.List) || !slices.Equal(s.Flights.List, into.Flights.List) {
			t.Fatalf("is a new field missing in packlists.go? Packed %d:\n%+v\nunpacked:\n%+v", n, s, into)
		}
	}
}

// filled returns a value with random fields: half of them are zero, the others of any size.
func filled[T any](rnd *rand.Rand) T {
	var v T
	fill(reflect.ValueOf(&v).Elem(), rnd)
	return v
}

func fill(v reflect.Value, rnd *rand.Rand) {
	v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem() // also for unexported fields
	if v.Kind() == reflect.Struct {
		for i := range v.NumField() {
			fill(v.Field(i), rnd)
		}
		return
	}
	if v.Type() == reflect.TypeFor[Incomparable]() || rnd.IntN(2) == 0 {
		return
	}
	switch {
	case v.CanInt():
		v.SetInt(int64(rnd.Uint64()) >> (rnd.IntN(64)) << (64 - v.Type().Bits()) >> (64 - v.Type().Bits()))
	case v.CanUint():
		v.SetUint(rnd.Uint64() >> (64 - v.Type().Bits()))
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.Kind() == reflect.String:
		v.SetString(strings.Repeat("ab\x00ü", rnd.IntN(100)/10))
	default:
		panic("a field of the sort " + v.Type().String() + " cannot be packed")
	}
}
