package event

import "strings"

// PlaceText returns the Text of a SessionLocated: the client's address and the server's, each host:port without
// spaces. In a RecipeNote the two are a server and a word.
func PlaceText(client, server string) string {
	return strings.ReplaceAll(client, " ", "") + " " + strings.ReplaceAll(server, " ", "")
}

// Place returns the arguments of PlaceText.
func Place(text string) (client, server string) {
	client, server, _ = strings.Cut(text, " ")
	return client, server
}
