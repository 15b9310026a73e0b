package scene_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// TestStoreSaysWhatItRefuses checks that a store shows the greatest number it has accepted, and what it refused.
func TestStoreSaysWhatItRefuses(t *testing.T) {
	said := drawn(written(queued("unnoticed-expiry", 3), "ledger"))
	for _, want := range []string{"ledger", "greatest 8", "ends · 1 · refused"} {
		if !slices.Contains(said, want) {
			t.Errorf("the picture does not say %q, but %q", want, said)
		}
	}
}

// TestStoreHasItsPlaceBeforeTheFirstWrite checks that nothing moves at the first write to a store.
func TestStoreHasItsPlaceBeforeTheFirstWrite(t *testing.T) {
	before, after := queued("unnoticed-expiry", 3), written(queued("unnoticed-expiry", 3), "ledger")
	if a, b := place(before), place(after); a != b {
		t.Errorf("client-1 is at %v before the first write, and at %v after it", a, b)
	}
	if said := drawn(queued("first-steps", 3)); slices.Contains(said, "store") {
		t.Errorf("a run in which nobody writes has a store: %q", said)
	}
}

// TestStoresSayWhatIsWrong checks that each form of store says what is wrong in it, not only by a colour.
func TestStoresSayWhatIsWrong(t *testing.T) {
	lost, left := fixtures()["tasks"], fixtures()["tasks"]
	lost.Clients[2].Crashed = true
	lost.Stores[0].Tasks[0].Done = 0
	left.Clients[2].Crashed = true
	left.Stores[0].Tasks[0] = view.Task{Name: "item-0000000000", Worker: 4, Before: 3}
	busy := fixtures()["tasks"]
	busy.Stores[0].Tasks[0] = left.Stores[0].Tasks[0]
	closed, late := fixtures()["values"], fixtures()["values"]
	closed.Clients[1].Belief.Phase, late.Clients[2].Belief.Phase = program.Left, program.Left
	for name, c := range map[string]struct {
		s    *view.State
		want []string
		not  []string
	}{
		"left with it":  {closed, []string{"price 10 · old"}, []string{"price 20"}},
		"left too late": {late, []string{"price 20", "price 10 · old"}, nil},
		"a torn sheet":  {torn(3), []string{"2 jobs on one sheet", "1 torn"}, nil},
		"a whole sheet": {fixtures()["printed"], []string{"3 pages"}, []string{"2 jobs on one sheet"}},
		"two trays":     {fixtures()["trays"], []string{"3 pages"}, []string{"2 jobs on one sheet"}},
		"a torn tray":   {fixtures()["traystorn"], []string{"2 jobs on one sheet", "1 torn"}, nil},
		"nothing":       {stored(queued("predecessor-lock", 3), event.StoreSheet), []string{"nothing written yet"}, nil},
		"numbers":       {fixtures()["numbers"], []string{"1", "2", "3 · twice", "4", "repeats: 1"}, []string{"4 · twice"}},
		"values":        {fixtures()["values"], []string{"price 20", "price 10 · old"}, []string{"price 10", "+1"}},
		"tasks": {fixtures()["tasks"], []string{"0", "1", "1 · again", "2 · open", "1 done again"},
			[]string{"1 · done 2 times"}},
		"a task done twice by one": {stored(fifo(2, 3, 5), event.StoreTasks, "C item-0000000000 taken",
			"C item-0000000000 done", "C item-0000000000 done"), []string{"0 · done 2 times"}, []string{"0", "0 · again"}},
		"a task done by three": {stored(fifo(2, 3, 5), event.StoreTasks, "C item-0000000000 done", "D item-0000000000 done",
			"E item-0000000000 done"), []string{"C", "0", "D", "E", "0 · again", "2 done again"},
			[]string{"0 · 3 times in all"}},
		"a task done by three, long ago": {stored(fifo(2, 3, 5), event.StoreTasks, append([]string{"C item-0000000000 done",
			"D item-0000000000 done", "E item-0000000000 done"}, slices.Repeat([]string{"C item-0000000001 taken"},
			view.KeptWrites-2)...)...), []string{"0", "0 · 3 times in all", "2 done again"}, []string{"0 · again"}},
		"a task that another took over": {left, []string{"0 · unfinished", "0"}, nil},
		"a task that another took, too": {busy, []string{"0"}, []string{"0 · unfinished"}},
		"a document": {fixtures()["document"], []string{"B is writing", "B · v2", "A · v1", "v1"},
			[]string{"v0", "v2", "halves of two versions"}},
		"a torn copy": {fixtures()["torncopy"], []string{"1 torn", "B · v2", "A · v1", "v2", "v1",
			"halves of two versions"}, nil},
		"a mixed document": {fixtures()["mixed"], []string{"B · v2", "A · v1", "halves of two versions", "2 torn"},
			[]string{"B is writing"}},
		"a lost task": {lost, []string{"0 · unfinished", "2 · open"}, []string{"0"}},
	} {
		said := drawn(c.s)
		for _, want := range c.want {
			if !slices.Contains(said, want) {
				t.Errorf("%s: the picture does not say %q, but %q", name, want, said)
			}
		}
		for _, not := range c.not {
			if slices.Contains(said, not) {
				t.Errorf("%s: the picture says %q", name, not)
			}
		}
	}
}

// TestSharedTaskInLittleRoom checks that both clients of a task are seen even if there is little room.
func TestSharedTaskInLittleRoom(t *testing.T) {
	s := stored(fifo(2, 3, 5), event.StoreTasks, "C bills of night-1 done", "D bills of night-1 done")
	for width, want := range map[float64]string{760: "bills of night-1 · again", 320: "again"} {
		if said := drawnAt(s, width); !slices.Contains(said, want) || !slices.Contains(said, "bills of night-1") {
			t.Errorf("in %v px the picture does not say %q, but %q", width, want, said)
		}
	}
}

// TestStoreCountsWhatIsOutOfSight checks that the count of older, hidden items stands before the visible ones.
func TestStoreCountsWhatIsOutOfSight(t *testing.T) {
	tasks := fixtures()["tasks"]
	tasks.Stores[0].Open += 4
	long := stored(queued("predecessor-lock", 3), event.StoreSheet, slices.Repeat([]string{"A page"}, 9)...)
	long.Stores[0].Pages[0] += 1200
	for name, c := range map[string]struct {
		s     *view.State
		width float64
		want  string
	}{
		"a long sheet":       {long, 1400, "1,201 earlier …"},
		"a long sheet, slim": {long, 360, "+1,202"},
		"a whole sheet":      {fixtures()["printed"], 1400, ""},
		"lines": {stored(queued("predecessor-lock", 3), event.StoreLines, slices.Repeat([]string{"A x"}, 9)...), 1400,
			"1 earlier …"},
		"lines, slim": {written(queued("unnoticed-expiry", 3), "ledger"), 360, "+6"},
		"copies, slim": {stored(queued("predecessor-lock", 4), event.StoreDocument, "A a copy", "B a copy",
			"C a copy", "D a copy"), 360, "+1"},
		"tasks": {tasks, 1400, "4 earlier …"},
	} {
		got := ""
		for _, s := range drawnAt(c.s, c.width) {
			if strings.Contains(s, "earlier") || strings.HasPrefix(s, "+") {
				got += s
			}
		}
		if got != c.want {
			t.Errorf("%s: %q are out of sight, not %q", name, got, c.want)
		}
	}
}

// storeOps returns the shapes of the store in a fixture's picture, from its name on.
func storeOps(fixture string) (ops []display.Op) {
	var f scene.Frame
	f.Draw(fixtures()[fixture], now,
		scene.Options{Words: english, Width: 760, Height: 470, Theme: display.Light(), Still: true})
	top := float32(470)
	for _, o := range f.Ops {
		if o.Kind == display.Text && o.Text == "store" {
			top = o.Y - 20
		}
		if o.Y > top {
			ops = append(ops, o)
		}
	}
	return ops
}

// slanting reports whether the op is a stroke of a jagged edge.
func slanting(o display.Op) bool {
	return o.Kind == display.Line && o.X != o.X3 && o.Y != o.Y3 && o.Stroke == display.Light().Ink
}

// TestTornSheetIsJagged checks that a sheet shows lettered pages, and a jagged edge between two clients' pages.
func TestTornSheetIsJagged(t *testing.T) {
	for name, want := range map[string]struct {
		letters string
		jagged  int
	}{"printed": {"AAA", 0}, "torn": {"AABA", 2}, "trays": {"AAB", 0}, "traystorn": {"AACBB", 1}} {
		letters, jagged := "", 0
		for _, o := range storeOps(name) {
			switch {
			case o.Kind == display.Text && len(o.Text) == 1:
				letters += o.Text
			case slanting(o):
				jagged++
			}
		}
		if letters != want.letters || jagged != 6*want.jagged {
			t.Errorf("%s: the pages are %q, with %d strokes of jagged edges", name, letters, jagged)
		}
	}
}

// TestTornHalvesAreJagged checks that mismatched halves have a jagged edge between them, but not unfinished ones.
func TestTornHalvesAreJagged(t *testing.T) {
	for name, want := range map[string]int{"document": 0, "torncopy": 1, "mixed": 2} {
		strokes := 0
		for _, o := range storeOps(name) {
			if slanting(o) {
				strokes++
			}
		}
		if strokes != 6*want {
			t.Errorf("%s: %d strokes of jagged edges", name, strokes)
		}
	}
}

// TestRefusedWriteBouncesOff checks that a refused write comes to rest above the store, an accepted one inside.
func TestRefusedWriteBouncesOff(t *testing.T) {
	s := written(queued("unnoticed-expiry", 3), "ledger")
	last := &s.Stores[0].Writes[view.KeptWrites-1]
	heights := func() (seen int) {
		var f scene.Frame
		places := map[float32]bool{}
		for after := 400; after < 1400; after += 50 {
			f.Draw(s, now+time.Duration(after)*time.Millisecond, scene.Options{Words: english, Width: 760, Height: 470,
				Theme: display.Light()})
			for i := range f.Ops {
				if o := &f.Ops[i]; o.Kind == display.Rect && o.W == 12 && o.H == 15 {
					places[o.Y] = true
				}
			}
		}
		return len(places)
	}
	if n := heights(); n < 4 {
		t.Errorf("what was refused is seen at %d heights", n)
	}
	last.Refused = false
	if n := heights(); n != 0 {
		t.Errorf("what was taken is seen outside of the store, at %d heights", n)
	}
}

// TestWhoGoesOnIsNotDead checks that a client that goes on after its session has expired isn't drawn as dead.
func TestWhoGoesOnIsNotDead(t *testing.T) {
	for name, paused := range map[string]bool{"asleep": true, "awake": false} {
		s := torn(3)
		s.Clients[0].Paused = paused
		var f scene.Frame
		f.Draw(s, now, scene.Options{Words: english, Width: 760, Height: 470, Theme: display.Light()})
		for i := range f.Ops {
			if o := &f.Ops[i]; o.Kind == display.Circle && o.Fill == display.Light().Grey {
				t.Errorf("%s: it has a grey disc", name)
			}
		}
	}
}

// TestGivingUpIsSaid checks that a client that has given up isn't said to wait.
func TestGivingUpIsSaid(t *testing.T) {
	if said := drawn(gaveUp()); !slices.Contains(said, "gave up") {
		t.Errorf("the picture says %q", said)
	}
}

func drawn(s *view.State) []string { return drawnAt(s, 760) }

func drawnAt(s *view.State, width float64) (said []string) { return drawnIn(s, width, 470) }

// drawnIn returns the texts of a picture of that size.
func drawnIn(s *view.State, width, height float64) (said []string) {
	var f scene.Frame
	f.Draw(s, now, scene.Options{Words: english, Width: width, Height: height, Theme: display.Light()})
	for i := range f.Ops {
		if f.Ops[i].Kind == display.Text {
			said = append(said, f.Ops[i].Text)
		}
	}
	return said
}

// TestTasksInLittleRoom checks that no task is there twice where one that three have done is said in fewer words, since
// its chips are too wide.
func TestTasksInLittleRoom(t *testing.T) {
	s := stored(fifo(2, 3, 5), event.StoreTasks, "C item-0000000000 done", "D item-0000000000 done",
		"E item-0000000000 done", "C item-0000000001 taken", "D item-0000000002 open")
	brief := false
	for width := 900.0; width >= 300; width -= 20 {
		said := drawnAt(s, width)
		count := func(what string) (n int) {
			for _, text := range said {
				if text == what {
					n++
				}
			}
			return n
		}
		if again := count("0 · again"); again == 0 {
			brief = true
		}
		if n := count("2 · open"); n > 1 {
			t.Errorf("at %.0f px an open task is there %d times: %q", width, n, said)
		}
	}
	if !brief {
		t.Error("no picture is too narrow for all chips")
	}
}

func place(s *view.State) (at [2]float32) {
	var f scene.Frame
	f.Draw(s, now, scene.Options{Words: english, Width: 760, Height: 470, Theme: display.Light()})
	for _, h := range f.Hits {
		if h.ID == "client-1" {
			at = [2]float32{h.X, h.Y}
		}
	}
	return at
}

// TestEmptyStoreIsSaidInFull checks that the description of an empty store may be as wide as the store.
func TestEmptyStoreIsSaidInFull(t *testing.T) {
	for _, width := range []float64{390, 760, 980} {
		said := drawnAt(stored(queued("naming", 3), event.StoreTasks), width)
		if !slices.Contains(said, "nothing written yet") {
			t.Errorf("%.0f px wide: %q", width, said)
		}
	}
}

// TestSheetSaysWhatLiesOnIt checks that a printer counts the pages in it, not all it ever printed.
func TestSheetSaysWhatLiesOnIt(t *testing.T) {
	s := fixtures()["printed"]
	s.Stores[0].Taken = 9
	if said := drawn(s); !slices.Contains(said, "3 pages") {
		t.Errorf("of three pages the picture says %q", said)
	}
}

// TestNothingComesFromTheCrashed checks that the path of a write disappears when its client crashes.
func TestNothingComesFromTheCrashed(t *testing.T) {
	shapes := func(crashed bool, age time.Duration) int {
		s := fixtures()["printed"]
		s.Clients[0].Crashed = crashed
		var f scene.Frame
		f.Draw(s, now+age, scene.Options{Words: english, Width: 760, Height: 480, Theme: display.Light()})
		return len(f.Ops)
	}
	alive, gone := shapes(false, 0)-shapes(false, time.Minute), shapes(true, 0)-shapes(true, time.Minute)
	if gone >= alive {
		t.Errorf("%d shapes for the write of a client that has crashed, %d of one that has not", gone, alive)
	}
}

// TestWhatIsWrongStaysInSight checks what a store shows in little room: what is wrong, open or old stays, in fewer
// words if need be, and the oldest of the others go first. A sign before them counts those that are hidden.
func TestWhatIsWrongStaysInSight(t *testing.T) {
	lines := stored(queued("predecessor-lock", 3), event.StoreLines, "A one", "B two", "A three", "B four", "A five")
	lines.Stores[0].Writes[view.KeptWrites-4].Refused = true
	two := stored(queued("predecessor-lock", 3), event.StoreLines, "A one", "B two", "A three", "B four")
	for _, i := range []int{1, 3} {
		two.Stores[0].Writes[view.KeptWrites-i].Refused = true
	}
	numbers, late := written(queued("unnoticed-expiry", 3), "ledger"), written(queued("unnoticed-expiry", 3), "ledger")
	late.Stores[0].Writes[view.KeptWrites-1].Refused = false
	late.Stores[0].Writes[view.KeptWrites-4].Late = true
	values := storedAs(queued("predecessor-lock", 4), event.StoreDrawing{Name: "store", Form: event.StoreValues},
		"C price 10", "D price 10", "A price 20", "B price 20")
	tasks := stored(fifo(2, 3, 5), event.StoreTasks, "C bills of night-1 done", "D bills of night-1 done")
	orders := stored(fifo(2, 3, 5), event.StoreTasks, "C item-0000000000 taken", "D item-0000000001 done",
		"E item-0000000002 done", "D item-0000000003 done", "E item-0000000004 done")
	orders.Clients[2].Crashed = true
	for _, c := range []struct {
		name  string
		s     *view.State
		width float64
		want  string
	}{
		{"lines", lines, 760, "A one B two · refused A three B four A five"},
		{"the oldest hidden", lines, 330, "+1 B two · refused A three B four A five"},
		{"what is refused stays", lines, 260, "+3 B two · refused A five"},
		{"without its word", lines, 170, "+3 B two A five"},
		{"two that are refused", two, 300, "+2 B two · refused B four · refused"},
		{"only numbers", numbers, 220, "+4 B 4 C 5 A 6 A 1"},
		{"a late one stays", late, 290, "+6 B begins · 4 A ends · 1"},
		{"one of each value", values, 280, "+2 B price 20 D price 10 · old"},
		{"only values", values, 190, "+2 B 20 D 10"},
		{"the old one stays", values, 150, "+3 D price 10"},
		{"both who did a task", tasks, 300, "C bills of night-1 D again"},
		{"both in little room", tasks, 220, "C D night-1"},
		{"what is unfinished stays", orders, 260, "+3 C 0 · unfinished E 4"},
		{"it has no word", orders, 220, "+2 C 0 D 3 E 4"},
		{"two trays", trays("A page", "A page", "A page", "B page", "B page", "B page"), 240, "A B +2 +2"},
	} {
		if got := row(c.s, c.width); !strings.HasPrefix(got, c.want+" ") {
			t.Errorf("%s: at %v px the store says %q, not %q", c.name, c.width, got, c.want)
		}
	}
}

// TestSignHasRoomForItself checks that a sign counts the hidden writes, in whatever size its text is.
func TestSignHasRoomForItself(t *testing.T) {
	s := written(queued("unnoticed-expiry", 3), "ledger")
	for height := 300.0; height < 640; height++ {
		if !slices.ContainsFunc(drawnIn(s, height*0.7, height), func(s string) bool { return strings.HasPrefix(s, "+") }) {
			t.Errorf("%v px high: no sign", height)
		}
	}
}

// row returns what a picture of that width says of a store, from its name on.
func row(s *view.State, width float64) string {
	said := drawnIn(s, width, 338)
	said = said[slices.Index(said, s.Stores[0].Name)+1:]
	return strings.Join(said, " ")
}
