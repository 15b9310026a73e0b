// Package recipe describes a recipe: its name, its promises, how its runs are drawn, and the program of one client.
// Hosts and runs know recipes only by this description, and by name from the catalogue.
//
// It is also the room of what recipes share: the steps that many of them have in common (kit). The recipes themselves
// are content, in recipes and recipes/pitfalls, and no room of the engine imports them.
package recipe
