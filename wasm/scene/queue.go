package scene

func (f *Frame) drawQueue() {}
