package tool

import (
	"math"
	"slices"
	"strings"
)

// imagePricing is the published rule of some models for the tokens of an image: a base, plus an amount for each square
// tile.
type imagePricing struct {
	models            []string // substrings of model names
	longest, shortest float64  // the image is scaled down to these sides in pixels; 0 for no limit
	side              float64  // of a tile, in pixels
	base, each        float64  // tokens, in total and per tile
	most              float64  // maximum number of tiles; 0 for no limit
}

// imagePricings are tried in order. The last one is for all other models: most servers count as OpenAI first did.
var imagePricings = []imagePricing{
	{models: []string{"claude"}, longest: 1568, side: 1, each: 1.0 / 750, most: 1600 * 750},
	{models: []string{"gemini-3", "gemini-4"}, side: 1, base: 1120},
	{models: []string{"gemini", "gemma"}, side: 768, each: 258},
	{models: []string{"gpt-4o-mini"}, longest: 2048, shortest: 768, side: 512, base: 2833, each: 5667},
	{models: []string{"gpt-4.1-mini", "gpt-5-mini"}, side: 32, each: 1.62, most: 1536},
	{models: []string{"gpt-4.1-nano", "gpt-5-nano"}, side: 32, each: 2.46, most: 1536},
	{models: []string{"o4-mini"}, side: 32, each: 1.72, most: 1536},
	{models: []string{"gpt-5.2", "gpt-5.3", "gpt-5.4", "gpt-5.5", "gpt-6"}, side: 32, each: 1.2, most: 2500},
	{models: []string{"gpt-5"}, longest: 2048, shortest: 768, side: 512, base: 70, each: 140},
	{models: []string{"o1", "o3"}, longest: 2048, shortest: 768, side: 512, base: 75, each: 150},
	{models: []string{""}, longest: 2048, shortest: 768, side: 512, base: 85, each: 170},
}

// PictureTokens estimates the number of tokens of an image of width by height pixels.
func PictureTokens(model string, width, height int) int {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	at := slices.IndexFunc(imagePricings, func(s imagePricing) bool {
		return slices.ContainsFunc(s.models, func(part string) bool {
			// Two-letter names such as o1 only count as prefixes.
			return strings.HasPrefix(name, part) || len(part) > 2 && strings.Contains(name, part)
		})
	})
	return imagePricings[at].tokens(float64(width), float64(height))
}

func (s imagePricing) tokens(w, h float64) int {
	w, h = shrink(w, h, s.longest/math.Max(w, h))
	w, h = shrink(w, h, s.shortest/math.Min(w, h))
	squares := math.Ceil(w/s.side) * math.Ceil(h/s.side)
	if s.most > 0 {
		squares = math.Min(squares, s.most)
	}
	return int(math.Ceil(s.base + s.each*squares))
}

// shrink scales an image down by a factor, to whole pixels.
func shrink(w, h, by float64) (float64, float64) {
	if by == 0 || by >= 1 {
		return w, h
	}
	return math.Max(1, math.Round(w*by)), math.Max(1, math.Round(h*by))
}
