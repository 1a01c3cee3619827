//go:build cgo

package cli

import (
	"strings"

	"winnow/cli/config"
	"winnow/session"
	"winnow/session/record"
)

// modelSettings is what a configuration says of single models. The files with system prompts are read now, so that
// one that is missing is reported before a conversation begins.
func (p *program) modelSettings(c config.Config) (func(endpoint, model string) session.ModelSettings, error) {
	files := make(map[string]string)
	read := func(table string, m config.Model) error {
		if m.SystemFile == "" {
			return nil
		}
		text, err := p.promptFile(table+".system_file", m.SystemFile)
		files[m.SystemFile] = text
		return err
	}
	for pattern, m := range c.Models {
		if err := read("models."+pattern, m); err != nil {
			return nil, err
		}
	}
	for name, e := range c.Endpoints {
		for model, m := range e.Models {
			if err := read("endpoints."+name+".models."+model, m); err != nil {
				return nil, err
			}
		}
	}
	variables := make(map[string]string)
	for _, g := range p.environment().Settings(c) {
		key := strings.TrimPrefix(g.Key, "sampling.")
		if g.Key == "system.prompt" || g.Key == "system.prompt_file" {
			key = "system"
		}
		variables[key] = g.Name
	}
	return func(endpoint, model string) session.ModelSettings {
		s := merged(c.Tables(endpoint, model), files)
		for key, name := range variables {
			if _, known := s.Tables[key]; !known {
				s.Tables[key] = name
			}
		}
		return s
	}, nil
}

// merged is what the tables of one model say together: of each key, the first that says something. files are the
// texts of the files that they name.
func merged(tables []config.Table, files map[string]string) session.ModelSettings {
	s := session.ModelSettings{Tables: make(map[string]string)}
	for _, t := range tables {
		says := func(key string, said bool) {
			if _, known := s.Tables[key]; said && !known {
				s.Tables[key] = t.Name
			}
		}
		if s.System == nil {
			s.System = t.System
			if t.SystemFile != "" {
				s.System = new(files[t.SystemFile])
			}
		}
		says("system", s.System != nil)
		says("max_tokens", t.Sampling.MaxTokens > 0)
		says("temperature", t.Sampling.Temperature != nil)
		says("top_p", t.Sampling.TopP != nil)
		says("effort", t.Sampling.Effort != "")
		s.Sampling = s.Sampling.Over(record.Sampling(t.Sampling))
	}
	return s
}
