package contend

// Members returns the number of members.
func (c *Pool) Members() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.members)
}
