package scene

func (f *Frame) drawCrowd() {}
