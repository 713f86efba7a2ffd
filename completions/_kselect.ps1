# kselect's completion for PowerShell. It queries the program itself, so it never becomes outdated.

Register-ArgumentCompleter -Native -CommandName kselect -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    # The words before that of the cursor. An empty word at the end may be left out.
    $words = @($commandAst.CommandElements |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or
            ($_.Extent.EndOffset -eq $cursorPosition -and $wordToComplete -eq '') } |
        ForEach-Object { if ($_.Value -is [string]) { $_.Value } else { $_.Extent.Text } })
    $at = $words.Count
    if ($wordToComplete -ne '') { $words += $wordToComplete.TrimStart("'", '"') }
    $answer = @(& (Get-Command -CommandType Application kselect | Select-Object -First 1) __complete $at @words 2>$null)
    # Without results PowerShell completes paths.
    foreach ($line in $answer) {
        if ($line.StartsWith(':')) { continue }
        $value, $help = $line -split "`t", 2
        if (-not $help) { $help = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $help)
    }
}
