package scene

type twig struct{}

func (f *Frame) drawTree() {}

func (f *Frame) routeTree(i int, p *spot, target rect, out *path) {}
