package main

// serverStep kills a server or starts them again, and waits until that is over.
func (p *playing) serverStep(verb, who string) {
	p.t.Helper()
	switch verb + " " + who {
	case "lose leader":
		p.roles["leader"] = p.leader()
		p.servers.Servers[p.roles["leader"]-1].Kill()
		p.roles["second"] = p.leader()
		p.roles["third"] = 6 - p.roles["leader"] - p.roles["second"]
	case "lose another":
		p.servers.Servers[p.roles["second"]-1].Kill()
	case "return all":
		for _, s := range p.servers.Servers {
			if s.PID() == 0 {
				if err := s.Launch(); err != nil {
					p.t.Fatal(err)
				}
			}
		}
		p.roles["now"] = p.leader()
	default:
		p.t.Fatalf("there's no step %q", verb+" "+who)
	}
}

// leader waits until a server leads, and returns its number.
func (p *playing) leader() (n int) {
	p.t.Helper()
	p.until("a server leads", func() bool {
		n = p.servers.Leader()
		return n != 0
	})
	return n
}
