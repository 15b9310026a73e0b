package sentence

import "github.com/zkviz/zkviz/engine/event"

// Visit visits the fields of s in their written order. It is the only list of the fields.
func (s *Sentence) Visit(f event.Fields) {
	f.Text("key", &s.Key)
	visitList(f, "args", &s.Args, (*Arg).visit)
}

func (a *Arg) visit(f event.Fields) {
	event.VisitInt(f, "kind", &a.kind)
	f.Text("text", &a.text)
	f.Int("number", &a.number)
	event.VisitInt(f, "op", &a.op)
	event.VisitInt(f, "client", &a.client)
	visitList(f, "clients", &a.clients, func(c *event.Actor, f event.Fields) { event.VisitInt(f, "client", c) })
	f.Texts("paths", &a.paths)
	visitList(f, "sentences", &a.sentences, (*Sentence).Visit)
}

func visitList[T any](f event.Fields, name string, list *[]T, visit func(*T, event.Fields)) {
	f.List(name, len(*list), func(i int, f event.Fields) {
		for len(*list) <= i {
			*list = append(*list, *new(T))
		}
		visit(&(*list)[i], f)
	})
}
