package site

import (
	"slices"
	"testing"
)

func TestKeptForgetsTheLeastRecentlyUsed(t *testing.T) {
	k := NewCache[string, int](10)
	has := func() (names []string) {
		for e := k.order.Front(); e != nil; e = e.Next() {
			names = append(names, e.Value.(cacheEntry[string, int]).key)
		}
		return names
	}
	for i, name := range []string{"a", "b", "c"} {
		k.Put(name, i, 3)
	}
	if v, ok := k.Get("a"); !ok || v != 0 {
		t.Errorf("a is %d, %v", v, ok)
	}
	k.Put("d", 3, 4) // 13 in all
	if got := has(); !slices.Equal(got, []string{"d", "a", "c"}) {
		t.Errorf("it keeps %q", got)
	}
	k.Put("e", 4, 11)
	k.Put("a", 5, 1)
	if got := has(); !slices.Equal(got, []string{"a", "d", "c"}) || k.weight != 8 || len(k.byKey) != 3 {
		t.Errorf("it keeps %q, which weigh %d", got, k.weight)
	}
	if v, _ := k.Get("a"); v != 5 {
		t.Errorf("a is %d, want what was put last", v)
	}
	if _, ok := k.Get("e"); ok {
		t.Error("it keeps what is too heavy")
	}
}
