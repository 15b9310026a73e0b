package contend

// Members is how many there are.
func (c *Crowd) Members() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.members)
}
