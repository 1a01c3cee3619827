# The package bash-completion has these two functions. Where it is not installed, these stand in for it.
if ! declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
# Sets cur, prev, words and cword. Bash takes words apart at : and =, which stand in names of models and behind
# flags; here they are put together again.
_get_comp_words_by_ref() {
    local i word glued=
    words=() cword=0
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        word=${COMP_WORDS[i]}
        # A separator belongs to the word before it, and what follows it too, if no blank is between them.
        if ((i > 0)) && [[ $word == [:=]* || -n $glued ]] && __winnow_adjoins "$i"; then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
        fi
        glued=
        [[ $word == *[:=] ]] && glued=yes
        ((i == COMP_CWORD)) && cword=$((${#words[@]} - 1))
    done
    cur=${words[cword]} prev=
    ((cword > 0)) && prev=${words[cword - 1]}
    # What stands behind the cursor is not completed.
    words=("${words[@]:0:cword + 1}")
}

# Says whether word $1 of the command line follows the one before it without a blank.
__winnow_adjoins() {
    local i rest=$COMP_LINE before
    for ((i = 0; i < $1; i++)); do
        before=${rest%%"${COMP_WORDS[i]}"*}
        rest=${rest:${#before} + ${#COMP_WORDS[i]}}
    done
    [[ $rest != [[:blank:]]* ]]
}
fi
if ! declare -F __ltrim_colon_completions >/dev/null 2>&1; then
# Takes from each completion what stands before its last colon: it is on the command line already.
__ltrim_colon_completions() {
    [[ $1 == *:* && $COMP_WORDBREAKS == *:* ]] || return 0
    local i before=${1%"${1##*:}"}
    for ((i = 0; i < ${#COMPREPLY[@]}; i++)); do
        COMPREPLY[i]=${COMPREPLY[i]#"$before"}
    done
}
fi

