package zab

// touchTable lists the sessions that showed activity since the last ping.
type touchTable struct {
	list []Touch
	at   map[int64]int // a session's index in list
}

func (t *touchTable) put(x Touch) {
	if i, known := t.at[x.Session]; known {
		t.list[i] = x
		return
	}
	if t.at == nil {
		t.at = make(map[int64]int)
	}
	t.at[x.Session] = len(t.list)
	t.list = append(t.list, x)
}

// take returns the sessions and empties the table.
func (t *touchTable) take() []Touch {
	list := t.list
	t.list = nil
	clear(t.at)
	return list
}
