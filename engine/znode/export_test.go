package znode

// SetCounter makes the parent at path one that has had n children: nobody has the time for 2³¹ creates.
func (t *Tree) SetCounter(path string, n int32) { t.nodes[path].creates = n }
