// What a library of this build has where its code is that of another build.
