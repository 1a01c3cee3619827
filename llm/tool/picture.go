package tool

import (
	"math"
	"strings"
)

// sight is how the makers of some models count a picture, by their published rules.
type sight struct {
	names []string // what the model's name holds
	cost  func(w, h float64) float64
}

// sights are asked in order; the last one is for all others: most servers count as OpenAI did when the
// format began.
var sights = []sight{
	{[]string{"claude"}, area},
	{[]string{"gemini-3", "gemini-4"}, always(1120)},
	{[]string{"gemini", "gemma"}, crops},
	{[]string{"gpt-4o-mini"}, tiles(2833, 5667)},
	{[]string{"gpt-4.1-mini", "gpt-5-mini"}, patches(1.62, 1536)},
	{[]string{"gpt-4.1-nano", "gpt-5-nano"}, patches(2.46, 1536)},
	{[]string{"o4-mini"}, patches(1.72, 1536)},
	{[]string{"gpt-5.2", "gpt-5.3", "gpt-5.4", "gpt-5.5", "gpt-6"}, patches(1.2, 2500)},
	{[]string{"gpt-5"}, tiles(70, 140)},
	{[]string{"o1", "o3"}, tiles(75, 150)},
	{[]string{""}, tiles(85, 170)},
}

// PictureTokens estimates what a picture of w by h pixels costs a model.
func PictureTokens(model string, w, h int) int {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	for _, s := range sights {
		for _, part := range s.names {
			// The short names of OpenAI's line begin a name; inside another they mean nothing.
			if strings.HasPrefix(name, part) || len(part) > 2 && strings.Contains(name, part) {
				return int(math.Ceil(s.cost(float64(w), float64(h))))
			}
		}
	}
	return 0
}

// tiles counts squares of 512 pixels, after the picture was made to fit 2,048 pixels and its shorter
// side 768.
func tiles(base, each float64) func(w, h float64) float64 {
	return func(w, h float64) float64 {
		w, h = scaled(w, h, 2048/math.Max(w, h))
		w, h = scaled(w, h, 768/math.Min(w, h))
		return base + each*math.Ceil(w/512)*math.Ceil(h/512)
	}
}

// patches counts squares of 32 pixels, at most so many.
func patches(each, limit float64) func(w, h float64) float64 {
	return func(w, h float64) float64 {
		return each * math.Min(limit, math.Ceil(w/32)*math.Ceil(h/32))
	}
}

// area counts one token per 750 pixels, after the longer side was made 1,568 pixels.
func area(w, h float64) float64 {
	w, h = scaled(w, h, 1568/math.Max(w, h))
	return math.Min(1600, w*h/750)
}

// crops counts squares of 768 pixels. A picture of at most 384 pixels either way is one.
func crops(w, h float64) float64 {
	if w <= 384 && h <= 384 {
		return 258
	}
	return 258 * math.Ceil(w/768) * math.Ceil(h/768)
}

func always(tokens float64) func(w, h float64) float64 {
	return func(_, _ float64) float64 { return tokens }
}

// scaled makes a picture smaller by a factor; it is never made larger. Its sides stay whole pixels.
func scaled(w, h, by float64) (float64, float64) {
	if by >= 1 {
		return w, h
	}
	return math.Max(1, math.Round(w*by)), math.Max(1, math.Round(h*by))
}
