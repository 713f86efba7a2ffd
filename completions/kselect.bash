# kselect's completion for bash. It queries the program itself, so it never becomes outdated.
# Works with bash 3.2, which macOS has: no compopt, no mapfile.

_kselect() {
    local rest=$COMP_LINE cursor=$2 before='' previous='' breaks='^[=:<>|&;(]+$' directive=4
    local words=() at=0 cword=0 i word line
    # After a backslash, each candidate would have to be escaped again.
    [[ $cursor == *\\* ]] && return
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        word=${COMP_WORDS[i]}
        # bash also splits words at = and :. Parts without a space between them are one word.
        if ((i > 0)) && [[ -n $previous && $rest != [[:space:]]* ]]; then
            previous=$word rest=${rest#"$word"}
            # The part of the word after the cursor is ignored.
            ((i > COMP_CWORD)) && continue
            if ((i == COMP_CWORD)) && [[ ! $word =~ $breaks ]]; then
                before=${words[at]} word=$cursor
            fi
            words[at]+=$word
            ((i == COMP_CWORD)) && [[ $word =~ $breaks ]] && before=${words[at]}
        else
            rest=${rest#"${rest%%[![:space:]]*}"}
            previous=$word rest=${rest#"$word"}
            ((i > 0)) && at=${#words[@]}
            words[at]=$word
            if ((i == COMP_CWORD)); then
                if [[ -z $cursor && -n $word && $word != *[=:] ]]; then
                    # The cursor is right before a word.
                    words[at]='' words[at + 1]=$word
                elif [[ $word == *"$cursor" ]]; then
                    # bash 3.2 does not split at a quote, nor the start of a word up to = or :.
                    before=${word%"$cursor"}
                else
                    # The cursor is in the middle of a word.
                    words[at]=$cursor
                fi
            fi
        fi
        ((i == COMP_CWORD)) && cword=$at
    done
    before=${before//[\'\"\\]/}
    while IFS= read -r line; do
        case $line in
            :*) directive=${line#:} ;;
            *) line=${line%%$'\t'*} COMPREPLY+=("${line#"$before"}") ;;
        esac
    done < <(command kselect __complete "$cword" "${words[@]//[\'\"\\]/}" 2>/dev/null)
    ((directive & 2)) && compopt -o nospace 2>/dev/null
    if ((directive == 0)); then
        compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "$cursor"))
    fi
}

complete -F _kselect kselect
